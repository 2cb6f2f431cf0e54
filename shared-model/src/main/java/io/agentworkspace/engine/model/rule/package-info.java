/** The records of rules. */
@NullMarked
package io.agentworkspace.engine.model.rule;

import org.jspecify.annotations.NullMarked;
