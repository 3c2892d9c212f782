"""Reading: git objects and folders become immutable trees, trees become artifacts of one neutral model.

This floor knows the formats that packages are written in. It knows no harness and writes nothing.
"""
