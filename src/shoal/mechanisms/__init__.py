"""The ways to protect people, a file or a folder each; ``registry`` lists them, ``run`` is the way of all of them.

``options`` declares parameters, ``base`` says what a mechanism is. Nothing is loaded before it is used.
"""
