#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <utility>

#include "api/gate/quota.hpp"
#include "api/http/address_block.hpp"
#include "api/http/url.hpp"
#include "app/config/config.hpp"
#include "base/ascii.hpp"
#include "base/joined_texts.hpp"
#include "base/number.hpp"
#include "net/destination/destination.hpp"
#include "net/mail/mail.hpp"
#include "storage/pq/connect_params.hpp"

namespace waybill::app {
namespace {

using Values = std::vector<std::string>;
using Apply = std::function<void(Config&, const Values&)>;

// Commands that use an option, besides `up`.
constexpr std::string_view api_alone[] = {"api"};
constexpr std::string_view worker_alone[] = {"worker"};
constexpr std::string_view serving[] = {"api", "worker"};
constexpr std::string_view calling_the_api[] = {"api", "demo", "console-link"};
constexpr std::string_view making_links[] = {"api", "worker", "business", "demo", "console-link"};
constexpr std::string_view reading_plans[] = {"api", "token", "business", "demo"};
constexpr std::string_view starting_a_cluster[] = {"migrate", "token", "console-link", "business",
                                                   "demo",    "key",   "doctor"};
constexpr std::string_view with_database[] = {"api",      "worker", "migrate", "token", "console-link",
                                              "business", "demo",   "key",     "doctor"};
constexpr std::string_view using_keys[] = {"api", "worker", "key", "doctor"};
constexpr std::string_view serving_and_doctor[] = {"api", "worker", "doctor"};

template <class Member>
Apply text(Member member) {
  return [member](Config& config, const Values& values) { config.*member = values.back(); };
}

Apply url(std::string Config::* member, std::vector<std::string_view> schemes) {
  return [member, schemes = std::move(schemes)](Config& config, const Values& values) {
    const std::string& value = values.back();
    const bool known = std::ranges::any_of(schemes, [&](std::string_view scheme) {
      return value.starts_with(scheme) && value.size() > scheme.size();
    });
    if (!known) throw ConfigError("must begin with " + joined_texts(schemes, " or "));
    config.*member = value.ends_with('/') ? value.substr(0, value.size() - 1) : value;
  };
}

void apply_database_url(Config& config, const Values& values) {
  url(&Config::database_url, {"postgresql://", "postgres://"})(config, values);
  if (const auto fault = storage::pq::url_fault(config.database_url)) throw ConfigError(*fault);
}

void apply_public_url(Config& config, const Values& values) {
  url(&Config::public_url, {"http://", "https://"})(config, values);
  if (config.public_url.find_first_of("?#@ ") != std::string::npos)
    throw ConfigError("must not have a user name, a query, a fragment or a blank");
}

void apply_read_database_url(Config& config, const Values& values) {
  url(&Config::read_database_url, {"postgresql://", "postgres://"})(config, values);
  if (const auto fault = storage::pq::standby_url_fault(config.read_database_url)) throw ConfigError(*fault);
}

bool parse_switch(const std::string& value) {
  if (value == "true" || value == "1" || value == "yes" || value == "on") return true;
  if (value == "false" || value == "0" || value == "no" || value == "off") return false;
  throw ConfigError("must be true, yes, on or 1, or false, no, off or 0");
}

std::int64_t parse_integer(std::string_view value, std::int64_t least, std::int64_t most) {
  const auto number = parse_number<std::int64_t>(value);
  if (!number || *number < least || *number > most) {
    throw ConfigError("must be an integer from " + std::to_string(least) + " to " + std::to_string(most));
  }
  return *number;
}

/// Reads bytes, with K, M or G for their multiples by 1 024, as systemd.resource-control(5) has them.
std::optional<std::int64_t> parse_bytes(std::string_view text) {
  constexpr std::string_view units = "KMG";
  const auto unit = text.empty() ? std::string_view::npos : units.find(ascii_upper(text.back()));
  int shift = 0;
  if (unit != std::string_view::npos) {
    text.remove_suffix(1);
    shift = 10 * (static_cast<int>(unit) + 1);
  }
  const auto number = parse_number<std::int64_t>(text);
  if (!number || *number < 0 || *number > std::numeric_limits<std::int64_t>::max() >> shift)
    return std::nullopt;
  return *number << shift;
}

void apply_memory_limit(Config& config, const Values& values) {
  constexpr std::int64_t least = 64L << 20;
  constexpr std::int64_t most = 1024L << 30;
  const auto bytes = parse_bytes(values.back());
  if (!bytes || *bytes < least || *bytes > most)
    throw ConfigError("must be a number of bytes, such as 536870912 or 512M, from 64M to 1024G");
  config.memory_limit = *bytes;
}

void apply_metrics_listen(Config& config, const Values& values) {
  config.serve_metrics = values.back() != "off";
  if (config.serve_metrics) config.metrics_listen = parse_listen_address(values.back());
}

void apply_data_dir(Config& config, const Values& values) {
  if (values.back().empty()) throw ConfigError("must not be empty");
  config.data_dir = values.back();
}

/// True for SCHEME://HOST[:PORT], as browsers send it.
bool is_origin(std::string_view text) {
  const std::size_t mark = text.find("://");
  if (mark == 0 || mark == std::string_view::npos) return false;
  const std::string_view host = text.substr(mark + 3);
  return !host.empty() && host.find_first_of("/?#@ ") == std::string_view::npos;
}

/// The end of a message about one of several URLs: names the URL, unless it may hold a password or a token.
std::string named(std::string_view before, const std::string& url) {
  return url.find_first_of("?#@") == std::string::npos ? std::string(before) + '"' + url + '"' : "";
}

/// One text of values whose order and repetitions mean nothing.
std::string as_set(const Values& values) {
  return joined_texts(std::set<std::string>(values.begin(), values.end()), ",");
}

void apply_cors_origins(Config& config, const Values& values) {
  for (const std::string& value : values) {
    if (value != "*" && !is_origin(value)) {
      throw ConfigError("must be * or an origin such as https://app.example.com, without a path" +
                        named(", not ", value));
    }
  }
  config.cors_origins = values;
}

void apply_carrier_gateways(Config& config, const Values& values) {
  config.carrier_gateways.clear();
  for (const std::string& value : values) {
    constexpr net::DestinationPolicy any{.allow_private = true};
    if (const auto error = net::check_url(value, any)) throw ConfigError(*error + named(": ", value));
    if (value.find_first_of("?#") != std::string::npos) throw ConfigError("must not have a query");
    config.carrier_gateways.push_back(value.substr(0, value.find_last_not_of('/') + 1));
  }
}

void apply_trusted_proxies(Config& config, const Values& values) {
  config.trusted_proxies.clear();
  for (const std::string& value : values) {
    const auto block = api::AddressBlock::parse(value);
    if (!block) {
      throw ConfigError("must be an address or a block such as 10.0.0.0/8 or fd00::/8, not \"" + value +
                        "\"");
    }
    config.trusted_proxies.push_back(*block);
  }
}

void apply_retry_schedule(Config& config, const Values& values) {
  const auto parsed = domain::RetrySchedule::parse(values.back());
  if (const auto* error = std::get_if<std::string>(&parsed)) throw ConfigError("is not valid: " + *error);
  config.retry_schedule = std::get<domain::RetrySchedule>(parsed);
}

void apply_plans(Config& config, const Values& values) {
  try {
    api::Plans::parse(values.back());
  } catch (const std::invalid_argument& error) {
    throw ConfigError(std::string("is not valid: ") + error.what());
  }
  config.plans = values.back();
}

// shopify.dev, "API versioning": a version is named by its year and month.
void apply_shopify_version(Config& config, const Values& values) {
  const std::string& version = values.back();
  constexpr std::string_view form = "0000-00";
  const bool fits = std::ranges::equal(
      version, form, [](char c, char shape) { return shape == '0' ? is_digit(c) : c == shape; });
  const int month = fits ? parse_number<int>(std::string_view(version).substr(5)).value_or(0) : 0;
  if (month < 1 || month > 12) throw ConfigError("must be YEAR-MONTH, such as 2026-07");
  config.shopify_version = version;
}

void apply_smtp_url(Config& config, const Values& values) {
  if (!net::parse_smtp_url(values.back())) {
    throw ConfigError("must be smtp://USER:PASSWORD@HOST:PORT or smtps://…; smtp may end in ?tls=none");
  }
  config.smtp_url = values.back();
}

void apply_mail_from(Config& config, const Values& values) {
  if (!net::parse_mailbox(values.back())) throw ConfigError("must be ADDRESS or NAME <ADDRESS>");
  config.mail_from = values.back();
}

void apply_log_format(Config& config, const Values& values) {
  const auto format = parse_log_format(values.back());
  if (!format) throw ConfigError("must be text or json");
  config.log_format = *format;
}

void apply_log_level(Config& config, const Values& values) {
  const auto level = parse_log_level(values.back());
  if (!level) throw ConfigError("must be debug, info, warning or error");
  config.log_level = *level;
}

Option integer(std::string_view name, std::string_view default_text, std::string_view help,
               std::span<const std::string_view> commands, std::int64_t Config::* member, std::int64_t least,
               std::int64_t most) {
  return {.name = name,
          .value_name = "N",
          .default_text = default_text,
          .help = help,
          .commands = commands,
          .bounds = std::to_string(least) + " to " + std::to_string(most),
          .apply = [=](Config& config,
                       const Values& values) { config.*member = parse_integer(values.back(), least, most); },
          .common_value = [=](const Config& config) { return std::to_string(config.*member); }};
}

/// Takes what integer() takes.
template <class... Values>
Option common_integer(Values&&... values) {
  Option option = integer(std::forward<Values>(values)...);
  option.is_common = true;
  return option;
}

std::vector<Option> address_options() {
  return {
      {.name = "listen",
       .value_name = "HOST:PORT",
       .default_text = "127.0.0.1:8080",
       .help = "The address of the API; port 0 takes a free port.",
       .commands = calling_the_api,
       .apply = [](Config& config,
                   const Values& values) { config.listen = parse_listen_address(values.back()); }},
      {.name = "metrics-listen",
       .value_name = "HOST:PORT",
       .default_text = "127.0.0.1:9464",
       .help = "The address of `/metrics` for Prometheus, or `off`. If the default port is in use, a free "
               "port is taken.",
       .commands = serving,
       .apply = apply_metrics_listen},
      {.name = "public-url",
       .value_name = "URL",
       .default_text = "",
       .help =
           "The service's URL for its users: links in mails and stores. Empty: the address of `--listen`.",
       .commands = making_links,
       .is_common = true,
       .apply = apply_public_url,
       .common_value = [](const Config& config) { return config.public_url; }},
      {.name = "cors-origin",
       .value_name = "ORIGIN",
       .default_text = "",
       .help = "An origin whose pages may call the API from a browser; repeatable; `*` allows all.",
       .commands = api_alone,
       .repeatable = true,
       .is_common = true,
       .apply = apply_cors_origins,
       .common_value = [](const Config& config) { return as_set(config.cors_origins); }},
      {.name = "carrier-gateway",
       .value_name = "URL",
       .default_text = "",
       .help =
           "The address of a gateway for carriers that businesses may name as `apiUrl`, such as a Karrio in "
           "the cluster. It may be private and `http`. Repeatable.",
       .commands = serving_and_doctor,
       .repeatable = true,
       .is_common = true,
       .apply = apply_carrier_gateways,
       .common_value = [](const Config& config) { return as_set(config.carrier_gateways); }},
      {.name = "trusted-proxy",
       .value_name = "ADDRESS",
       .default_text = "",
       .help = "The address of a reverse proxy, or a block that has it (`10.0.0.0/8`, `fd00::/8`), whose "
               "`X-Forwarded-For` gives the client's address for the limits on failed logins, account mails "
               "and connections. The connection limit does not apply to the proxy. Repeatable.",
       .commands = api_alone,
       .repeatable = true,
       .apply = apply_trusted_proxies},
  };
}

std::vector<Option> load_options() {
  return {
      integer("io-threads", "0",
              "Threads that serve the API; 0: one for each core, as far as `--database-connections` allows.",
              api_alone, &Config::io_threads, 0, 256),
      {.name = "memory-limit",
       .value_name = "BYTES",
       .default_text = "",
       .help = "The most memory that clients of the API may fill with bodies under way and with answers that "
               "they have not taken, in bytes or with `K`, `M` or `G` (of 1 024). Empty: half of the memory "
               "of the container or machine.",
       .commands = api_alone,
       .bounds = "64M to 1024G",
       .apply = apply_memory_limit},
      common_integer(
          "account-mails-per-network", "10",
          "Registrations, password resets and resent mails per hour from one network (an IPv4 address, or "
          "the first 64 bits of an IPv6 address), in all API processes together; 0: no limit.",
          api_alone, &Config::account_mails_per_network, 0, 1'000),
      common_integer(
          "account-mails-per-address", "3",
          "The same per e-mail address. Invitations to an address have the same limit and are counted "
          "apart; 0: no limit.",
          api_alone, &Config::account_mails_per_address, 0, 1'000),
      {.name = "plans",
       .value_name = "PLAN=N[:no-api],…",
       .default_text = "free=60:no-api,standard=600,pro=6000,unlimited=1000000000",
       .help = "The requests per minute and token of each plan; `:no-api` refuses API tokens. Plans that are "
               "not named keep their default.",
       .commands = reading_plans,
       .is_list = true,
       .is_common = true,
       .apply = apply_plans,
       .common_value = [](const Config& config) { return api::Plans::parse(config.plans).text(); }},
      common_integer("business-quota-factor", "10",
                     "All tokens of a business together have this many times the requests per minute of one "
                     "token, and so have all sessions of a user without a business; 0: no limit.",
                     api_alone, &Config::business_quota_factor, 0, 1'000),
  };
}

std::vector<Option> database_options() {
  return {
      {.name = "data-dir",
       .value_name = "DIR",
       .default_text = "./waybill-data",
       .help = "The directory in which `up` keeps its PostgreSQL cluster, the secret key and mails. The path "
               "to a cluster must not have a comma.",
       .commands = with_database,
       .apply = apply_data_dir},
      {.name = "database-url",
       .value_name = "URL",
       .default_text = "",
       .help =
           "An existing PostgreSQL database, used instead of the cluster in the data directory. If the URL "
           "has several hosts (`postgresql://USER@HOST,HOST/DATABASE`), the primary is used.",
       .commands = with_database,
       .apply = apply_database_url},
      {.name = "read-database-url",
       .value_name = "URL",
       .default_text = "",
       .help = "The streaming standbys of the database (`postgresql://USER@HOST,HOST/DATABASE`). They serve "
               "lists, searches, explain, backtest and the ledger; a standby that lags or is unreachable is "
               "skipped. "
               "Empty: the primary serves all reads.",
       .commands = api_alone,
       .apply = apply_read_database_url},
      {.name = "pg-bin-dir",
       .value_name = "DIR",
       .default_text = "",
       .help = "The directory of PostgreSQL's server programs. Empty: the newest supported version on the "
               "`PATH` and in the usual directories of distributions.",
       .commands = starting_a_cluster,
       .apply = text(&Config::pg_bin_dir)},
      {.name = "secret-key-file",
       .value_name = "FILE",
       .default_text = "",
       .help = "A key for the secrets in the database, the same for all processes of one database; `up` "
               "creates it. Repeatable: the first file's key encrypts, all decrypt (see `waybill key "
               "rotate`). Empty: "
               "`DATA_DIR/secret.key`.",
       .commands = using_keys,
       .repeatable = true,
       .apply = [](Config& config,
                   const Values& values) { config.secret_key_files = {values.begin(), values.end()}; }},
      integer("database-connections", "40",
              "The most connections that a process opens to each server: to the primary, and to each of "
              "`--read-database-url`. `up`, `api` and `worker` do not start if the primary has fewer.",
              serving_and_doctor, &Config::database_connections, 1, 10'000),
  };
}

std::vector<Option> delivery_options() {
  return {
      {.name = "allow-private-destinations",
       .value_name = "",
       .default_text = "false",
       .help = "Allows webhooks, push messages and store connections to loopback and private addresses and "
               "to any port.",
       .commands = serving_and_doctor,
       .is_common = true,
       .apply = [](Config& config,
                   const Values& values) { config.allow_private_destinations = parse_switch(values.back()); },
       .common_value =
           [](const Config& config) { return config.allow_private_destinations ? "true" : "false"; }},
      {.name = "ca-file",
       .value_name = "FILE",
       .default_text = "",
       .help = "Additional CA certificates (PEM) for all outgoing TLS.",
       .commands = serving_and_doctor,
       .apply = text(&Config::ca_file)},
      {.name = "retry-schedule",
       .value_name = "DELAYS",
       .default_text = "5s,5m,30m,2h,5h,10h,14h",
       .help = "The delays between the attempts of a run: numbers with `s`, `m`, `h` or `d`. N delays allow "
               "N + 1 attempts.",
       .commands = worker_alone,
       .bounds = "0 to 50 delays of at most 30d",
       .is_list = true,
       .is_common = true,
       .apply = apply_retry_schedule,
       .common_value = [](const Config& config) { return config.retry_schedule.text(); }},
      common_integer(
          "blast-guard-factor", "100",
          "A workflow is paused if it fires more often than this factor times its rate of the last 7 days "
          "and more than `--blast-guard-minimum` times within a minute; 0 switches the guard off.",
          worker_alone, &Config::blast_factor, 0, 1'000'000),
      common_integer("blast-guard-minimum", "1000",
                     "The firings within a minute that never pause a workflow; 0 switches the guard off.",
                     worker_alone, &Config::blast_minimum, 0, 1'000'000'000),
  };
}

std::vector<Option> workflow_limit_options() {
  return {
      common_integer("workflows-per-business", "500",
                     "The most workflows of a business; managed ones do not count.", api_alone,
                     &Config::workflows_per_business, 1, 100'000),
      common_integer("workflows-per-trigger", "100",
                     "The most active workflows of a business for one trigger.", api_alone,
                     &Config::workflows_per_trigger, 1, 100'000),
      common_integer("workflow-bytes-per-business", "8388608",
                     "The most bytes of the conditions and actions of a business's workflows, each with the "
                     "texts of its templates; managed ones do not count. The same number limits the texts of "
                     "a business's templates.",
                     api_alone, &Config::workflow_bytes_per_business, 1, 1'000'000'000),
  };
}

std::vector<Option> retention_and_import_options() {
  return {
      common_integer("runs-retention-days", "30",
                     "Days for which runs and events are kept. A workflow's delay must be shorter.", serving,
                     &Config::runs_retention_days, 1, 3650),
      common_integer("positions-retention-days", "90", "Days for which vehicle positions are kept.",
                     worker_alone, &Config::positions_retention_days, 1, 3650),
      common_integer(
          "deleted-retention-days", "90",
          "Days after which deleted orders, shipments, customers and products are removed from the database.",
          worker_alone, &Config::deleted_retention_days, 1, 3650),
      common_integer(
          "import-interval", "60",
          "Seconds between two imports from a connected store, varied by a fifth; the store's webhooks and "
          "`sync` start one at once.",
          worker_alone, &Config::import_interval, 1, 86'400),
  };
}

std::vector<Option> surroundings_options() {
  return {
      {.name = "smtp-url",
       .value_name = "URL",
       .default_text = "",
       .help = "`smtp://user:password@host:port` or `smtps://…`. STARTTLS is used if offered, and required "
               "for credentials, unless the URL ends in `?tls=none`. Empty: mails go to `--mail-dir`.",
       .commands = serving_and_doctor,
       .apply = apply_smtp_url},
      {.name = "mail-from",
       .value_name = "ADDRESS",
       .default_text = "waybill@localhost",
       .help = "The sender of mails.",
       .commands = serving,
       .is_common = true,
       .apply = apply_mail_from},
      common_integer(
          "mails-per-day", "200",
          "Recipients per day of the workflow mails of a self-registered business on the plan `free` or "
          "`standard`; the business's own users do not count; 0: no limit.",
          worker_alone, &Config::mails_per_day, 0, 1'000'000),
      {.name = "mail-dir",
       .value_name = "DIR",
       .default_text = "",
       .help = "The directory for mails as `.eml` files if there is no SMTP server. Empty: `DATA_DIR/mail`.",
       .commands = serving_and_doctor,
       .apply = text(&Config::mail_dir)},
      {.name = "geocoder-url",
       .value_name = "URL",
       .default_text = "",
       .help = "A Nominatim-compatible geocoder. Empty: the built-in gazetteer of cities.",
       .commands = api_alone,
       .apply = url(&Config::geocoder_url, {"http://", "https://"})},
      {.name = "osrm-url",
       .value_name = "URL",
       .default_text = "",
       .help = "An OSRM server for road distances. Empty: 1.3 times the straight line.",
       .commands = api_alone,
       .apply = url(&Config::osrm_url, {"http://", "https://"})},
      {.name = "shopify-version",
       .value_name = "VERSION",
       .default_text = "2026-07",
       .help = "The version of Shopify's Admin API, such as `2026-07`.",
       .commands = serving,
       .is_common = true,
       .apply = apply_shopify_version},
      {.name = "log-format",
       .value_name = "text|json",
       .default_text = "text",
       .help = "The format of the log lines on stderr.",
       .commands = with_database,
       .apply = apply_log_format},
      {.name = "log-level",
       .value_name = "LEVEL",
       .default_text = "info",
       .help = "The lowest level that is logged: `debug`, `info`, `warning` or `error`.",
       .commands = with_database,
       .apply = apply_log_level},
  };
}

}  // namespace

ListenAddress parse_listen_address(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  std::string_view host = text.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) {
    host = host.substr(1, host.size() - 2);
  } else if (host.find(':') != std::string_view::npos) {
    host = {};
  }
  if (colon == std::string_view::npos || host.empty()) {
    throw ConfigError("must be HOST:PORT or [IPV6]:PORT");
  }
  const auto port = parse_number<std::uint16_t>(text.substr(colon + 1));
  if (!port) throw ConfigError("must have a port that is an integer from 0 to 65535");
  return {std::string(host), *port};
}

std::string ListenAddress::text() const { return api::authority(host, port); }

std::string Option::flag() const { return "--" + std::string(name); }

std::string Option::variable() const {
  std::string result = "WAYBILL_";
  for (const char c : name) result += c == '-' ? '_' : ascii_upper(c);
  return result;
}

bool Option::is_used_by(std::string_view command) const {
  return command == "up" || std::ranges::find(commands, command) != commands.end();
}

std::span<const Option> options() {
  static const std::vector<Option> all = [] {
    std::vector<Option> result;
    for (auto&& group : {address_options(), load_options(), database_options(), delivery_options(),
                         workflow_limit_options(), retention_and_import_options(), surroundings_options()}) {
      result.insert(result.end(), group.begin(), group.end());
    }
    return result;
  }();
  return all;
}

}  // namespace waybill::app
