#pragma once

namespace waybill::app {

/// Opens /dev/null for each closed descriptor of 0 to 2, so that no file or socket takes its number and what
/// is written to the standard output or the log never reaches it. Call it before anything else is opened.
/// Throws std::system_error.
void open_standard_descriptors();

}  // namespace waybill::app
