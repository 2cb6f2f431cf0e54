/** Moves memories: the export of a whole bank, and the import of exports, Markdown folders and JSON lines. */
@NullMarked
package io.agentworkspace.engine.memory.banks.transfer;

import org.jspecify.annotations.NullMarked;
