"""The carrier of the tests, as Karrio finds it in the folder KARRIO_PLUGINS."""

import karrio.core.metadata as metadata
import karrio.mappers.testcarrier as mappers

METADATA = metadata.PluginMetadata(
    status="production-ready",
    id="testcarrier",
    label="Test carrier",
    Mapper=mappers.Mapper,
    Proxy=mappers.Proxy,
    Settings=mappers.Settings,
    services=mappers.ShippingService,
    options=mappers.ShippingOption,
)
