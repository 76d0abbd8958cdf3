"""The verbs, one module each: a Struct of options, what is done with them, and `VERB` that names both."""
