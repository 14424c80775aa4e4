"""The grammar of times: how the words of a language name one, from amounts to spans."""
