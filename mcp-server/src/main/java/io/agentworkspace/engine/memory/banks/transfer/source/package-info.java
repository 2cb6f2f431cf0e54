/** What is sent for an import: files and folders, read within limits as lines, JSON or sections. */
@NullMarked
package io.agentworkspace.engine.memory.banks.transfer.source;

import org.jspecify.annotations.NullMarked;
