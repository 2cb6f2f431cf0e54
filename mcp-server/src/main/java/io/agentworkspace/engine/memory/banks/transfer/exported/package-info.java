/** The forms of an exported bank: the engine's own lines, and files that other products read. */
@NullMarked
package io.agentworkspace.engine.memory.banks.transfer.exported;

import org.jspecify.annotations.NullMarked;
