#pragma once

#include "app/config.hpp"
#include "app/node.hpp"

namespace waybill::app {

/// Runs these parts of the service until SIGTERM, SIGINT or SIGHUP, then ends them within ten seconds; the
/// result is the exit status. `up` also brings its own database, schema and key; the others take what is
/// there.
int serve(const Config& config, Roles roles, bool is_up);

}  // namespace waybill::app
