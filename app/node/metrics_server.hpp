#pragma once

#include <functional>
#include <memory>

#include "api/http/server.hpp"
#include "app/config/config.hpp"
#include "app/node/operator_view.hpp"

namespace waybill::app {

/// A listener of its own for operators: `/metrics` for Prometheus, `/healthz` for an orchestrator, and the
/// page `/operator`. If another process uses the default port, the system chooses one. `is_alive` and `view`
/// outlive it. Throws ConfigError for a chosen address that cannot be used.
std::unique_ptr<api::Server> make_metrics_server(const Config& config, const std::function<bool()>& is_alive,
                                                 OperatorView& view);

}  // namespace waybill::app
