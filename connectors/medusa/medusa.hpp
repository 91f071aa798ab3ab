#pragma once

#include "connectors/connector.hpp"

namespace waybill::connectors {

/// Medusa 2 by its Admin API, with a secret API key. docs/connectors/medusa.md describes the mapping.
const Connector& medusa_connector();

}  // namespace waybill::connectors
