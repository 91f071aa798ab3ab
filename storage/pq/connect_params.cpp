#include "storage/pq/connect_params.hpp"

#include <algorithm>
#include <memory>
#include <ranges>

#include <libpq-fe.h>

#include "base/ascii.hpp"
#include "base/number.hpp"

namespace waybill::storage::pq {
namespace {

struct FreeConninfo {
  void operator()(PQconninfoOption* options) const { PQconninfoFree(options); }
};
using Conninfo = std::unique_ptr<PQconninfoOption, FreeConninfo>;

Conninfo parse(const std::string& url) { return Conninfo(PQconninfoParse(url.c_str(), nullptr)); }

/// Returns the value of one parameter in a URL; nullopt if it is missing or the URL is unreadable.
std::optional<std::string> value_of(const Conninfo& url, std::string_view keyword) {
  for (const auto* option = url.get(); option != nullptr && option->keyword != nullptr; ++option) {
    if (option->keyword == keyword && option->val != nullptr) return option->val;
  }
  return std::nullopt;
}

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> parts;
  for (const auto part : std::views::split(list, ',')) parts.emplace_back(part.begin(), part.end());
  if (parts.empty()) parts.emplace_back();
  return parts;
}

// libpq counts the hosts by `hostaddr` if it is given.
std::size_t count_hosts(const Conninfo& url) {
  const auto addresses = value_of(url, "hostaddr");
  const auto hosts = addresses ? addresses : value_of(url, "host");
  return hosts ? split(*hosts).size() : 1;
}

constexpr const char* default_port = "5432";

void append_value(std::string& text, std::string_view keyword, std::string_view value) {
  text.append(keyword).append("='");
  for (const char each : value) {
    if (each == '\'' || each == '\\') text += '\\';
    text += each;
  }
  text += "' ";
}

// libpq reads numbers only when it has an address to connect to.
constexpr std::string_view number_keywords[] = {"connect_timeout",  "keepalives",
                                                "keepalives_idle",  "keepalives_interval",
                                                "keepalives_count", "tcp_user_timeout"};

/// Reads an integer as libpq does: with white space around it, and a sign.
std::optional<int> integer_of(std::string_view text) {
  text = trimmed(text);
  if (text.starts_with('+')) text.remove_prefix(1);
  return parse_number<int>(text);
}

bool is_port(std::string_view text) {
  const auto port = text.empty() ? std::optional(1) : integer_of(text);
  return port && *port >= 1 && *port <= 65'535;
}

/// Returns libpq's reason to refuse the values of a URL before it looks for a server; nullopt if it has none.
std::optional<std::string> libpq_refusal(const std::string& url) {
  // libpq reads the port last and always refuses 0, so that it neither looks up nor connects to a host.
  const char* const keywords[] = {"dbname", "port", nullptr};
  const char* const values[] = {url.c_str(), "0", nullptr};
  const std::unique_ptr<PGconn, decltype(&PQfinish)> connection(PQconnectStartParams(keywords, values, 1),
                                                                PQfinish);
  std::string reason = PQerrorMessage(connection.get());
  if (reason.find("port number") != std::string::npos) return std::nullopt;
  // libpq quotes the value, which the message must not show.
  if (const auto quote = reason.find('"'); quote != std::string::npos)
    reason.replace(quote, reason.rfind('"') + 1 - quote, "…");
  return reason.substr(0, reason.find('\n'));
}

/// The fault of a value that libpq reports only when it connects: a process would try again forever.
std::optional<std::string> value_fault(const Conninfo& parsed, const std::string& url) {
  for (const std::string_view keyword : number_keywords) {
    const auto value = value_of(parsed, keyword);
    if (value && !integer_of(*value))
      return "has a value of " + std::string(keyword) + " that is not an integer";
  }
  // A password with a slash that is not encoded is read as a port, so the message must not show it.
  const auto ports = split(value_of(parsed, "port").value_or(""));
  if (!std::ranges::all_of(ports, is_port)) return "has a port that is not an integer from 1 to 65535";
  if (ports.size() > 1 && ports.size() != count_hosts(parsed))
    return "has a different number of ports than hosts";
  const auto refusal = libpq_refusal(url);
  return refusal ? std::optional("has a value that libpq refuses: " + *refusal) : std::nullopt;
}

constexpr std::string_view host_keywords[] = {"host", "hostaddr", "port"};

/// Returns the part of a list with one entry for each host; nullopt if it has none, or one for all hosts.
std::optional<std::string> part_of(const Conninfo& url, std::string_view keyword, std::size_t host) {
  const auto list = value_of(url, keyword);
  const auto parts = list ? split(*list) : std::vector<std::string>();
  if (parts.size() < 2) return std::nullopt;
  const std::string& part = parts.at(std::min(host, parts.size() - 1));
  // libpq ignores an empty value, so the URL's list of empty ports would stay.
  return part.empty() && keyword == "port" ? default_port : part;
}

// Limits for an unresponsive connection: the client's as parameters, the server's as settings of the session.
// With tcp_user_timeout, the keepalive count has no effect.
constexpr std::pair<const char*, const char*> defaults[] = {
    {"target_session_attrs", "primary"}, {"keepalives_idle", "2"},     {"keepalives_interval", "1"},
    {"keepalives_count", "3"},           {"tcp_user_timeout", "4000"},
};
constexpr std::string_view server_limits =
    "-c tcp_keepalives_idle=2 -c tcp_keepalives_interval=1 -c tcp_keepalives_count=3 -c "
    "tcp_user_timeout=4000";

}  // namespace

ConnectParams::ConnectParams(const std::string& url, std::string_view application_name,
                             std::string_view settings, std::optional<std::size_t> host) {
  const Conninfo parsed = parse(url);
  // Parameters before `dbname` are defaults for the URL; those after it override the URL.
  for (const auto& [keyword, value] : defaults) add(keyword, value);
  add("connect_timeout", count_hosts(parsed) > 1 ? "2" : "5");  // for each host
  add("fallback_application_name", std::string(application_name));
  add("dbname", url);
  if (host) {
    for (const char* const keyword : {"host", "hostaddr", "port"}) {
      if (auto part = part_of(parsed, keyword, *host)) add(keyword, std::move(*part));
    }
  }
  const auto url_options = value_of(parsed, "options");
  add("options", (url_options ? *url_options + ' ' : std::string()) + std::string(server_limits) + ' ' +
                     std::string(settings));
  add("client_encoding", "UTF8");
  for (const auto& [keyword, value] : params_) {
    keywords_.push_back(keyword);
    values_.push_back(value.c_str());
  }
  keywords_.push_back(nullptr);
  values_.push_back(nullptr);
}

void ConnectParams::add(const char* keyword, std::string value) {
  params_.emplace_back(keyword, std::move(value));
}

std::string conninfo(const std::string& url, std::string_view application_name, std::string_view settings) {
  const Conninfo parsed = parse(url);
  if (!parsed) return url;
  const ConnectParams params(url, application_name, settings);
  std::string text;
  for (std::size_t i = 0; params.keywords()[i] != nullptr; ++i) {
    const std::string_view keyword = params.keywords()[i];
    if (keyword != "dbname") {
      append_value(text, keyword, params.values()[i]);
      continue;
    }
    for (const auto* option = parsed.get(); option->keyword != nullptr; ++option) {
      if (option->val != nullptr) append_value(text, option->keyword, option->val);
    }
  }
  return text;
}

std::string conninfo_of_server(const std::string& url, std::string_view application_name,
                               std::string_view settings, const ServerAddress& server) {
  std::string text = conninfo(url, application_name, settings);
  // The last value of a keyword takes precedence, even an empty one.
  text += ' ';
  append_value(text, "host", server.host);
  append_value(text, "hostaddr", server.address);
  append_value(text, "port", server.port);
  append_value(text, "target_session_attrs", "any");
  return text;
}

std::vector<Server> servers_of(const std::string& url, std::string_view role) {
  const Conninfo parsed = parse(url);
  std::vector<Server> servers;
  for (std::size_t host = 0; host < count_hosts(parsed); ++host) {
    Server server;
    append_value(server.connection, "target_session_attrs", role);
    append_value(server.connection, "connect_timeout", "2");
    for (const auto* option = parsed.get(); option != nullptr && option->keyword != nullptr; ++option) {
      if (option->val != nullptr) append_value(server.connection, option->keyword, option->val);
    }
    const auto part = [&](std::string_view keyword) {
      auto value = part_of(parsed, keyword, host);
      return value ? value : value_of(parsed, keyword);
    };
    // The last value of a keyword takes precedence.
    for (const auto keyword : host_keywords) {
      if (const auto value = part(keyword)) append_value(server.connection, keyword, *value);
    }
    const auto address = part("host") ? part("host") : part("hostaddr");
    const auto port = part("port");
    server.name = address.value_or("local") + ':' + (port && !port->empty() ? *port : default_port);
    servers.push_back(std::move(server));
  }
  return servers;
}

std::vector<Server> standbys_of(const std::string& url) { return servers_of(url, "standby"); }

std::string beginning_with_host(const std::string& url, std::size_t first) {
  const Conninfo parsed = parse(url);
  if (!parsed || first == 0) return url;
  std::string text;
  for (const auto* option = parsed.get(); option->keyword != nullptr; ++option) {
    if (option->val != nullptr) append_value(text, option->keyword, option->val);
  }
  for (const auto keyword : host_keywords) {
    auto parts = split(value_of(parsed, keyword).value_or(""));
    if (parts.size() < 2) continue;
    std::ranges::rotate(parts, parts.begin() + static_cast<std::ptrdiff_t>(first % parts.size()));
    std::string list = std::move(parts.front());
    for (const std::string& part : parts | std::views::drop(1)) list.append(",").append(part);
    append_value(text, keyword, list);  // the last value of a keyword takes precedence
  }
  return text;
}

std::optional<std::size_t> host_of(const std::string& url, std::string_view name, std::string_view port) {
  const Conninfo parsed = parse(url);
  for (std::size_t host = 0; host < count_hosts(parsed); ++host) {
    const auto part = [&](std::string_view keyword) {
      const auto several = part_of(parsed, keyword, host);
      return several ? several : value_of(parsed, keyword);
    };
    const auto host_name = part("host") ? part("host") : part("hostaddr");
    const auto host_port = part("port");
    if (host_name == name && (host_port && !host_port->empty() ? *host_port : default_port) == port)
      return host;
  }
  return std::nullopt;
}

std::optional<std::string> standby_url_fault(const std::string& url) {
  const Conninfo parsed = parse(url);
  if (!parsed) return "must be a URL that libpq can read";  // libpq's message may contain the password
  const auto target = value_of(parsed, "target_session_attrs");
  if (target == "primary" || target == "read-write") {
    return "must not have target_session_attrs=" + *target +
           ", because it names standbys; target_session_attrs=standby is the default";
  }
  return value_fault(parsed, url);
}

std::size_t host_count(const std::string& url) { return count_hosts(parse(url)); }

std::optional<std::string> url_fault(const std::string& url) {
  const Conninfo parsed = parse(url);
  if (!parsed) return "must be a URL that libpq can read";  // libpq's message may contain the password
  if (value_of(parsed, "target_session_attrs") == "read-write") {
    return "must not have target_session_attrs=read-write, because some sessions are read-only; use "
           "target_session_attrs=primary, which is the default";
  }
  return value_fault(parsed, url);
}

}  // namespace waybill::storage::pq
