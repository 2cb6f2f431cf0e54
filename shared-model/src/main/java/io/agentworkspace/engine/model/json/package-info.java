/** {@code Json}: the one JSON mapper, and the canonical form. */
@NullMarked
package io.agentworkspace.engine.model.json;

import org.jspecify.annotations.NullMarked;
