import os

from hypothesis import HealthCheck, settings

# A first call compiles its kernels, so that no deadline holds; and a test leaves nothing on disk.
slow = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
settings.register_profile("house", deadline=None, database=None, max_examples=60, suppress_health_check=slow)
settings.register_profile("ci", settings.get_profile("house"), derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "house")
