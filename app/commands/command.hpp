#pragma once

#include <functional>

#include <CLI/CLI.hpp>

#include "app/config/config.hpp"

namespace waybill::app {

/// The command chosen on the command line; `run` returns the exit status.
struct Chosen {
  std::function<int(const Config&)> run;
};

/// A function that declares a command on `program`; the command sets `chosen` when it is parsed.
using AddCommand = void(CLI::App& program, Chosen& chosen);

AddCommand add_up;
AddCommand add_api;
AddCommand add_worker;
AddCommand add_migrate;
AddCommand add_token;
AddCommand add_business;
AddCommand add_key;
AddCommand add_doctor;
AddCommand add_openapi;
AddCommand add_demo;
AddCommand add_vapid_keys;
AddCommand add_version;
AddCommand add_docs;

}  // namespace waybill::app
