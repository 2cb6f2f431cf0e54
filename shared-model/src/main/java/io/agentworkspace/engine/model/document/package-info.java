/** The records of documents, and how their files get to the tools. */
@NullMarked
package io.agentworkspace.engine.model.document;

import org.jspecify.annotations.NullMarked;
