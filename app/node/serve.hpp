#pragma once

#include "app/config/config.hpp"
#include "app/node/node.hpp"

namespace waybill::app {

/// Runs these parts of the service until SIGTERM, SIGINT or SIGHUP, then ends them within ten seconds;
/// returns the exit status. `up` also provides the database, the schema and the key; the other commands need
/// them to exist.
int serve(const Config& config, Roles roles, bool is_up);

}  // namespace waybill::app
