/** The expressions of rules in CEL: {@code Expression} compiles and evaluates them within limits. Loaded at the first rule. */
@NullMarked
package io.agentworkspace.engine.identity.rules.cel;

import org.jspecify.annotations.NullMarked;
