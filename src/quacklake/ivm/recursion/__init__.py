"""Recursive queries: taken apart, checked, and followed round by round where rows only come."""
