// object: the properties of an object's node that make a `DataObject`
{.id, .kind, .name, .description, .table, .data_type, .source, .gone, .folded}
