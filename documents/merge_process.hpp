#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <vector>

#include "documents/label_file.hpp"

// Merging labels in a process of its own. A label is a file that someone else made: it can crash its reader,
// take all of its memory, or never end.
namespace waybill::documents {

struct MergeLimits {
  std::chrono::seconds processor_time = std::chrono::seconds(10);
  std::chrono::milliseconds time = std::chrono::seconds(20);
};

/// The address space of the process, in bytes. An image of `most_pixels` takes a fifth of it.
inline constexpr std::uint64_t merge_memory = std::uint64_t{768} << 20U;

/// The program that has the command `merge-labels`: the running one, also after its file was replaced.
inline const std::filesystem::path this_program = "/proc/self/exe";

/// Merges labels into one PDF in their order, in a process `PROGRAM merge-labels`. It gets no variables of
/// the environment and no open file, and restricts itself (app/commands/merge_labels.cpp) before it reads a
/// byte. A label that the process does not survive is unprintable, and so are those that it refuses; the
/// labels after the former are not examined. From 1 to `most_merged_labels` with `largest_merge` bytes
/// together. Blocks the calling thread, at most for the time of the limits. Any thread; a crash of the caller
/// leaves no process for longer than its processor time. Throws std::system_error if the process cannot be
/// started, std::runtime_error if it ends before it reads a label.
MergedLabels merge_apart(const std::vector<LabelFile>& labels, const MergeLimits& limits = {},
                         const std::filesystem::path& program = this_program);

/// The work of that process: reads the labels of a request and writes the answer (merge_frames.hpp). Throws
/// BadFrame if the input is not a request, std::bad_alloc if the merged PDF takes too much memory.
void serve_merge(std::istream& request, std::ostream& answer);

}  // namespace waybill::documents
