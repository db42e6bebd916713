@problemName toy
@timestamps false
@classLabel true a b
@data
1,2,3:a
2,3:b
4,5,6,7:a
