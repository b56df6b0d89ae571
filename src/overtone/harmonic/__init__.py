"""Algorithm 1: known values extended harmonically to every node."""
