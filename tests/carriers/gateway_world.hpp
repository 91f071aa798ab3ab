#pragma once

#include "tests/carriers/easypost_simulator.hpp"
#include "tests/harness/postgres.hpp"
#include "tests/workflows/fixtures/workflow_fixture.hpp"

namespace waybill::tests {

/// A waybill whose operator has named the simulator as a gateway.
struct GatewayWorld {
  TestDatabase database;
  EasyPostSimulator easypost;
  Waybill waybill{database.url(), [this] {
                    Waybill::Options options;
                    options.arguments = {"--carrier-gateway", easypost.url()};
                    return options;
                  }()};
};

}  // namespace waybill::tests
