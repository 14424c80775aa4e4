"""What people use else: each a program that is run by the interpreter of an environment that has its library."""
