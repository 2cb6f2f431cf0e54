/** JSON: the one mapper, and canonical form. */
@NullMarked
package io.agentworkspace.engine.model.json;

import org.jspecify.annotations.NullMarked;
