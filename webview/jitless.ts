import * as z from 'zod';

// The view's policy allows no code from text, and zod would try whether it may. This has to be said
// before the first schema is made, so it is a module of its own, imported first.
z.config({ jitless: true });
