"""What tests share: servers, the referee, and ways to compare."""
