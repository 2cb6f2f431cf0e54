/** The text of a document, extracted in a process of its own: {@code ExtractorMain} is that process, everything else runs in it. */
@NullMarked
package io.agentworkspace.engine.memory.documents.extract;

import org.jspecify.annotations.NullMarked;
