#include "tests/simulators/store_simulator.hpp"

#include <algorithm>

#include "base/ascii.hpp"

namespace waybill::tests {
namespace {

const char* const html_page =
    "<!DOCTYPE html><html><head><title>Attention</title></head><body>Blocked</body></html>";

Fault html(int status, Headers headers) {
  headers.emplace_back("Content-Type", "text/html; charset=UTF-8");
  return {.spoil = [status, headers = std::move(headers)](Reply& reply) {
    reply = Reply::with_status(status, headers, html_page);
  }};
}

}  // namespace

std::string percent_decode(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+') {
      out += ' ';
    } else if (text[i] == '%' && i + 2 < text.size() && hex_value(text[i + 1]) >= 0 &&
               hex_value(text[i + 2]) >= 0) {
      out += static_cast<char>(hex_value(text[i + 1]) * 16 + hex_value(text[i + 2]));
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

Parameters query_parameters(std::string_view target) {
  Parameters parameters;
  std::map<std::string, int> counts;
  const auto mark = target.find('?');
  if (mark == std::string_view::npos) return parameters;
  std::string_view rest = target.substr(mark + 1);
  while (!rest.empty()) {
    const auto end = std::min(rest.find('&'), rest.size());
    const std::string_view pair = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    const auto equals = std::min(pair.find('='), pair.size());
    std::string name = percent_decode(pair.substr(0, equals));
    if (name.empty()) continue;
    if (name.ends_with("[]")) name.insert(name.size() - 1, std::to_string(counts[name]++));
    parameters.insert_or_assign(std::move(name),
                                percent_decode(pair.substr(std::min(equals + 1, pair.size()))));
  }
  return parameters;
}

Reply json_reply(int status, const json::value& body, Headers more) {
  more.emplace_back("Content-Type", "application/json; charset=UTF-8");
  return Reply::with_status(status, std::move(more), to_json(body));
}

Fault failing_with(int status, Headers headers) { return html(status, std::move(headers)); }

Fault too_many_requests(std::string retry_after) {
  return html(429, {{"Retry-After", std::move(retry_after)}});
}

Fault firewall_page(int status) { return html(status, {}); }

Fault cut_answer() {
  return {.spoil = [](Reply& reply) { reply.kind = Reply::Kind::cut; }, .reaches_store = true};
}

Fault lost_answer() {
  return {.spoil = [](Reply& reply) { reply.kind = Reply::Kind::close; }, .reaches_store = true};
}

Fault slow_answer(std::shared_ptr<Gate> gate) {
  return {.spoil = [gate = std::move(gate)](Reply& reply) { reply.gate = gate; }, .reaches_store = true};
}

void FaultScript::add(Fault fault, std::size_t times) {
  const Lock lock(mutex_);
  entries_.push_back({std::move(fault), times});
}

std::optional<Fault> FaultScript::take(std::string_view method, std::string_view target) {
  const Lock lock(mutex_);
  const auto found = std::ranges::find_if(entries_, [&](const Entry& entry) {
    return (entry.fault.method.empty() || entry.fault.method == method) &&
           target.find(entry.fault.path_part) != std::string_view::npos;
  });
  if (found == entries_.end()) return std::nullopt;
  Fault fault = found->fault;
  if (--found->left == 0) entries_.erase(found);
  return fault;
}

void FaultScript::clear() {
  const Lock lock(mutex_);
  entries_.clear();
}

}  // namespace waybill::tests
