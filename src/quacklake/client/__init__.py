"""What a user holds: a lake, its tables, and scans of them."""
