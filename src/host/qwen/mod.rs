//! What Qwen Code sends and writes, and what it honours.
