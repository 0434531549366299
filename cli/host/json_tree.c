#include "host/json_tree.h"

#include <stdlib.h>

bool json_add_number(cJSON *object, const char *key, bool known, double value)
{
    return (known ? cJSON_AddNumberToObject(object, key, value)
                  : cJSON_AddNullToObject(object, key)) != NULL;
}

bool json_add_text(cJSON *object, const char *key, bool known, const char *value)
{
    return (known ? cJSON_AddStringToObject(object, key, value)
                  : cJSON_AddNullToObject(object, key)) != NULL;
}

bool json_add_flag(cJSON *object, const char *key, bool known, bool value)
{
    return (known ? cJSON_AddBoolToObject(object, key, value)
                  : cJSON_AddNullToObject(object, key)) != NULL;
}

bool json_append(cJSON *array, cJSON *item)
{
    if (item && cJSON_AddItemToArray(array, item))
        return true;
    cJSON_Delete(item);
    return false;
}

bool json_print_and_delete(cJSON *tree, bool complete, FILE *to)
{
    char *text = tree && complete ? cJSON_Print(tree) : NULL;
    cJSON_Delete(tree);
    if (!text)
        return false;
    fprintf(to, "%s\n", text);
    cJSON_free(text);
    return true;
}
