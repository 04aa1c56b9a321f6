//! What a call's output says, and whether it really failed.
