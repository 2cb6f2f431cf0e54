/** Recorded answers, for the documents and pages that show what the service returns. */
@NullMarked
package io.agentworkspace.engine.model.answer;

import org.jspecify.annotations.NullMarked;
