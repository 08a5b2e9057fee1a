"""What this machine is and can do: Python, torch, devices, speed in bf16, optional packages.

`glassformer doctor` prints it. Nothing here prints or changes anything, and torch is imported only inside functions.
"""
