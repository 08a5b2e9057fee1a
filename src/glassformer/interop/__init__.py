"""Other people's weights and engines: one file for each of them."""
