import * as z from 'zod';

// The view's policy forbids eval, but zod would try to use it to detect whether it is available. This must run before
// the first schema is created, so it is in a separate module that is imported first.
z.config({ jitless: true });
