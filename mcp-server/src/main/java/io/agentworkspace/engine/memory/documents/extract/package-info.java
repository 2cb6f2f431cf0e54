/** The text of a document, by its type: what all readers share, and those of texts and PDF. */
@NullMarked
package io.agentworkspace.engine.memory.documents.extract;

import org.jspecify.annotations.NullMarked;
