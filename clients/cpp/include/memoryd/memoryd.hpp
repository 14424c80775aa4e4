#pragma once

/// The client of memoryd without the generated stubs, which are in memoryd/stub.hpp.

#include "memoryd/agent.hpp"
#include "memoryd/batch.hpp"
#include "memoryd/client.hpp"
#include "memoryd/consistency.hpp"
#include "memoryd/entry.hpp"
#include "memoryd/error.hpp"
#include "memoryd/record_counts.hpp"
#include "memoryd/scope.hpp"
#include "memoryd/transaction.hpp"
#include "memoryd/value.hpp"
#include "memoryd/watch.hpp"
#include "memoryd/working_memory.hpp"
