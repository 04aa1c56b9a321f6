//! Secrets out of text before it is stored, hashed or shown.
