#pragma once

#include <functional>

#include <CLI/CLI.hpp>

#include "app/config.hpp"

namespace waybill::app {

/// What the command line asked for; the result is the exit status.
struct Chosen {
  std::function<int(const Config&)> run;
};

/// Each declares its command on `program` and sets `chosen` when it is given.
using AddCommand = void(CLI::App& program, Chosen& chosen);

AddCommand add_up;
AddCommand add_api;
AddCommand add_worker;
AddCommand add_migrate;
AddCommand add_token;
AddCommand add_business;
AddCommand add_openapi;
AddCommand add_demo;
AddCommand add_vapid_keys;
AddCommand add_version;
AddCommand add_docs;

}  // namespace waybill::app
