/** JSON Schema from record components, and the validation of input by it. */
@NullMarked
package io.agentworkspace.engine.model.schema;

import org.jspecify.annotations.NullMarked;
