#pragma once

#include <string>
#include <string_view>

#include "app/node/operator_view.hpp"

namespace waybill::app {

/// The page for operators: HTML without scripts that refreshes itself every 5 s. Everything that the facts
/// contain is escaped. Pure.
std::string operator_page(const OperatorFacts& facts);

/// The style sheet of the page.
inline constexpr std::string_view operator_style =
    "body{font:14px/1.4 system-ui,sans-serif;margin:1rem;color:#222;background:#fff}"
    "h1{font-size:1.3rem}h2{font-size:1rem;margin:1.2rem 0 .3rem}"
    "div{overflow-x:auto}table{border-collapse:collapse}th,td{border:1px solid #bbb;padding:.15rem "
    ".5rem;text-align:left}"
    "th{background:#eee}.fault{color:#a00;font-weight:bold}"
    "@media(prefers-color-scheme:dark){body{color:#ddd;background:#1b1b1b}th{background:#333}"
    ".fault{color:#f88}}\n";

}  // namespace waybill::app
