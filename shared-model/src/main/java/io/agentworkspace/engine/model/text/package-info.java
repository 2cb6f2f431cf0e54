/** Texts that are cut to a length, and digests. */
@NullMarked
package io.agentworkspace.engine.model.text;

import org.jspecify.annotations.NullMarked;
