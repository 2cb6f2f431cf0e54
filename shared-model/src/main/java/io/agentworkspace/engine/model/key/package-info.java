/** The records of API keys. */
@NullMarked
package io.agentworkspace.engine.model.key;

import org.jspecify.annotations.NullMarked;
