#include <iostream>
#include <string>
#include <string_view>

#include "app/commands/command.hpp"
#include "base/error.hpp"

namespace waybill::app {
namespace {

constexpr ErrorCode codes[] = {
    ErrorCode::validation_error, ErrorCode::configuration_error, ErrorCode::unauthorized,
    ErrorCode::forbidden,        ErrorCode::not_found,           ErrorCode::method_not_allowed,
    ErrorCode::conflict,         ErrorCode::payload_too_large,   ErrorCode::unsupported_media_type,
    ErrorCode::rate_limited,     ErrorCode::internal_error,      ErrorCode::unavailable,
};

std::string_view meaning(ErrorCode code) {
  switch (code) {
    case ErrorCode::validation_error:
      return "The request is malformed or breaks a rule. `details` has one entry for each bad field, "
             "parameter or "
             "line, named as the caller wrote it.";
    case ErrorCode::configuration_error:
      return "A carrier or a store refused the credentials, or cannot be reached with them.";
    case ErrorCode::unauthorized:
      return "The token is missing, unknown, revoked or expired. The answer has `WWW-Authenticate: Bearer`.";
    case ErrorCode::forbidden:
      return "The token is good, but its role or the plan does not allow this.";
    case ErrorCode::not_found:
      return "There is no such path, or no such record in this business.";
    case ErrorCode::method_not_allowed:
      return "The path exists for other methods: see the header `Allow`.";
    case ErrorCode::conflict:
      return "The state of a record forbids it, a unique value is taken, or an `Idempotency-Key` was used "
             "for "
             "another request.";
    case ErrorCode::payload_too_large:
      return "The body is larger than 1 MiB (10 MiB for uploads).";
    case ErrorCode::unsupported_media_type:
      return "The `Content-Type` is not the one of this endpoint.";
    case ErrorCode::rate_limited:
      return "The token's quota of this minute is used up: `Retry-After` and `X-RateLimit-Reset` say when "
             "the next minute begins. Or too many logins have failed, too many account mails were asked "
             "for, or calls in a store's name were refused: `Retry-After` says when to try again.";
    case ErrorCode::internal_error:
      return "A fault of the service. The log has it under the answer's `X-Request-Id`.";
    case ErrorCode::unavailable:
      return "The database cannot be reached. `Retry-After` says when to ask again; whether a change was "
             "made is "
             "unknown, so send it again with the same `Idempotency-Key`.";
  }
  return {};
}

std::string errors_document() {
  std::string out =
      "# Errors\n\n"
      "Made by `./dev generate` from the table in `app/commands/docs.cpp`.\n\n"
      "Every refusal has the body `{\"success\": false, \"error\": {\"code\", \"message\", \"details\"}}`; "
      "`details` "
      "is left out when\nthere is nothing to say for each field. Programs go by `code`, people by `message`. "
      "Records of other "
      "businesses are\n`NOT_FOUND`, never `FORBIDDEN`.\n\n"
      "| Status | Code | Meaning |\n|---|---|---|\n";
  for (const ErrorCode code : codes) {
    out.append("| ").append(std::to_string(http_status(code))).append(" | `").append(code_text(code));
    out.append("` | ").append(meaning(code)).append(" |\n");
  }
  return out;
}

}  // namespace

void add_docs(CLI::App& program, Chosen& chosen) {
  CLI::App* docs = program.add_subcommand("docs", "Prints a generated document")->group("");
  docs->require_subcommand(1);
  docs->add_subcommand("configuration", "docs/configuration.md")->callback([&chosen] {
    chosen.run = [](const Config&) {
      std::cout << configuration_document();
      return 0;
    };
  });
  docs->add_subcommand("errors", "docs/errors.md")->callback([&chosen] {
    chosen.run = [](const Config&) {
      std::cout << errors_document();
      return 0;
    };
  });
}

}  // namespace waybill::app
