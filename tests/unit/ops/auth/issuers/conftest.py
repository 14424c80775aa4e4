from tests.hurried_loop import loop_factories

pytest_asyncio_loop_factories = loop_factories
