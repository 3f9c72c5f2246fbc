import * as z from 'zod';

// The view's policy forbids eval, which zod would try to detect. This must run before the first schema is created, so
// it is in its own module, which is imported first.
z.config({ jitless: true });
