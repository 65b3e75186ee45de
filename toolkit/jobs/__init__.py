"""What the commands do, one module each; the command line only parses, calls and prints."""
