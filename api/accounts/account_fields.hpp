#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "api/endpoint/endpoint.hpp"
#include "api/endpoint/schema.hpp"
#include "api/endpoint/services.hpp"
#include "base/error.hpp"
#include "base/json.hpp"
#include "net/mail/mail.hpp"

namespace waybill::api {

inline constexpr std::size_t shortest_password = 10;   // characters
inline constexpr std::size_t longest_password = 1000;  // limits the cost of hashing

inline constexpr Property password_property{.name = "password",
                                            .kind = Kind::string,
                                            .required = true,
                                            .max_length = longest_password,
                                            .min_length = shortest_password};
inline constexpr Property confirm_password_property{.name = "confirmPassword",
                                                    .kind = Kind::string,
                                                    .required = true,
                                                    .max_length = longest_password,
                                                    .description = "The same password."};

/// The body of a request that sets a password with a mailed token.
inline constexpr Property mailed_password_properties[] = {
    {.name = "token", .kind = Kind::string, .required = true, .description = "The token of the mail."},
    password_property,
    confirm_password_property,
};

/// Returns the string member `name` of a checked body; empty if there is none.
std::string text_of(const json::object& body, std::string_view name);

/// The Failure (400) for a mailed token that is wrong, used or expired.
Failure wrong_token();

/// The author of a change that a mailed token allows.
Principal mailed_user(const Guid& user, std::string_view email);

/// The user who calls. Throws Failure (FORBIDDEN) for other callers: API tokens and one-time links.
const Guid& require_user(const Call& call);

/// Waits for a turn and hashes a new password.
asio::awaitable<std::string> hash_password(const Call& call, Services& services, std::string password);

/// Adds an error unless `confirmPassword` equals `password`.
void check_confirmation(const json::object& body, FieldErrors& errors);

/// The mail that asks a new user to verify an address.
net::MailMessage verification_mail(const Services& services, const std::string& to, const std::string& token);

/// The mail that lets a user choose a new password.
net::MailMessage reset_mail(const Services& services, const std::string& to, const std::string& token);

/// The mail that invites a user into a business.
net::MailMessage invitation_mail(const Services& services, const std::string& to, const std::string& token,
                                 const std::string& business);

}  // namespace waybill::api
