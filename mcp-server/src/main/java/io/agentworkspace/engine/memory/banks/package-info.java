/**
 * Memory banks: memories, permissions, loading, censorship and the trash, and who may change a bank:
 * {@code BankAccess}.
 */
@NullMarked
package io.agentworkspace.engine.memory.banks;

import org.jspecify.annotations.NullMarked;
