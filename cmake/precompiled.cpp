// Owns the precompiled header of the modules.
