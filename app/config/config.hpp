#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "api/http/address_block.hpp"
#include "base/observe.hpp"
#include "domain/workflows/retry.hpp"

namespace waybill::app {

/// An option, variable or key is unknown or has an invalid value. The message names its source and never
/// repeats a value that may hold a password.
class ConfigError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// `HOST:PORT` or `[IPV6]:PORT`; port 0 lets the system choose.
struct ListenAddress {
  std::string host;
  std::uint16_t port = 0;
  std::string text() const;
};

/// Throws ConfigError.
ListenAddress parse_listen_address(std::string_view text);

/// The settings of a process. Immutable once read.
struct Config {
  ListenAddress listen;
  ListenAddress metrics_listen;
  bool metrics_listen_chosen = false;  // given, not the default; a busy port is then an error
  bool serve_metrics = true;
  std::filesystem::path data_dir;
  std::filesystem::path pg_bin_dir;                     // searched for if empty
  std::string database_url;                             // the cluster of data_dir if empty
  std::string read_database_url;                        // URL of the standbys; empty if there are none
  std::vector<std::filesystem::path> secret_key_files;  // the first encrypts, all decrypt
  std::int64_t database_connections = 0;                // the most that this process opens to a server
  std::string public_url;
  std::vector<std::string> cors_origins;
  std::vector<api::AddressBlock> trusted_proxies;
  std::int64_t io_threads = 0;    // one for each core if 0
  std::int64_t memory_limit = 0;  // bytes; half of the usable memory if 0
  bool allow_private_destinations = false;
  std::string ca_file;
  domain::RetrySchedule retry_schedule = domain::RetrySchedule::standard();
  std::int64_t blast_factor = 0;
  std::int64_t blast_minimum = 0;
  std::int64_t workflows_per_business = 0;
  std::int64_t workflows_per_trigger = 0;
  std::int64_t workflow_bytes_per_business = 0;
  std::int64_t runs_retention_days = 0;
  std::int64_t positions_retention_days = 0;
  std::int64_t deleted_retention_days = 0;
  std::int64_t import_interval = 0;  // seconds
  std::int64_t account_mails_per_network = 0;
  std::int64_t account_mails_per_address = 0;
  std::string plans;  // in the form of api::Plans::parse
  std::int64_t business_quota_factor = 0;
  std::string smtp_url;
  std::string mail_from;
  std::int64_t mails_per_day = 0;
  std::filesystem::path mail_dir;
  std::vector<std::string> carrier_gateways;  // without a trailing slash
  std::string geocoder_url;
  std::string osrm_url;
  std::string shopify_version;
  LogFormat log_format = LogFormat::text;
  LogLevel log_level = LogLevel::info;
  std::map<std::string, std::string, std::less<>> common;  // the values of the common options, by name
};

/// One option. Its flag (`--name`), environment variable (`WAYBILL_NAME`), TOML key (`name`) and
/// documentation all come from its row.
struct Option {
  std::string_view name;
  std::string_view value_name;  // "HOST:PORT"; empty for a switch
  std::string_view default_text;
  std::string_view help;
  std::span<const std::string_view> commands;  // those that use it, besides `up`, which uses all
  std::string bounds = {};                     // "1 to 100000"; empty if the form needs none
  bool repeatable = false;
  bool is_list = false;    // one value with commas, which may be an array in TOML
  bool is_common = false;  // all processes of a database need the same value
  /// Writes the values into the config. Throws ConfigError, which states the expected form.
  std::function<void(Config&, const std::vector<std::string>&)> apply = {};
  /// Returns the value in the form in which processes compare it, if it has several forms.
  std::function<std::string(const Config&)> common_value = {};

  std::string flag() const;
  std::string variable() const;
  bool is_used_by(std::string_view command) const;
};

/// Every option, in the order of the documentation.
std::span<const Option> options();

/// Values by option name; those of a switch are "true" or "false".
using GivenValues = std::map<std::string, std::vector<std::string>, std::less<>>;

/// Combines the settings: a flag overrides a variable, a variable the file, the file the default. The file is
/// that of `--config` or WAYBILL_CONFIG, if any. `environment` holds `NAME=VALUE` entries; an empty value
/// counts as not given. Throws ConfigError, also for unknown keys and unknown variables beginning with
/// WAYBILL_.
Config read_config(const GivenValues& flags, std::span<const std::string> environment);

/// The text of `docs/configuration.md`.
std::string configuration_document();

}  // namespace waybill::app
