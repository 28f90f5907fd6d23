// Upcasters.
